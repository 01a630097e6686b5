# The steps of deploy/install. Each looks whether it is done already, does it or says what it would do, and fails in
# words that say what to do. Reads DRY, ROOT, WHEELS, START, PYTHON, SOURCE and HERE.
# shellcheck shell=bash disable=SC2154

readonly PROGRAM=/opt/croupier
readonly COMMAND=/usr/local/bin/croupier
readonly CONFIGURATION=/etc/croupier/table.toml
readonly STATE=/var/lib/croupier
readonly NEEDED_KB=300000 # the program takes 60 MB; the rest is what pip needs while it works, and room to breathe
readonly UNITS="croupier.service croupier-kiosk@.service"
# What the program says of itself, for man and for the shells; under share of each version.
readonly HELP="man/man1/croupier.1 bash-completion/completions/croupier zsh/site-functions/_croupier fish/vendor_completions.d/croupier.fish"
CHANGED=''

say() { echo "  $*"; }

refuse() {
	echo "deploy/install: $1" >&2
	exit 3
}

fail() {
	echo "deploy/install: $1" >&2
	exit 1
}

# do_it WORDS COMMAND…: one change of the machine
do_it() {
	local words=$1
	shift
	CHANGED=yes
	if [ -n "$DRY" ]; then
		say "would: $words"
		return
	fi
	say "$words"
	"$@" || fail "$words: that failed (exit status $?). The lines above say why; run it again when it is put right."
}

# A running systemd of this machine, and not of a card that is mounted somewhere.
has_systemd() { [ -z "$ROOT" ] && [ -d /run/systemd/system ]; }

check_machine() {
	[ -n "$DRY" ] || [ "$(id -u)" = 0 ] || refuse "only root may install programs. Run it as: sudo deploy/install"
	[ -e "$ROOT/etc/debian_version" ] ||
		refuse "this is no Debian or Raspberry Pi OS (there is no $ROOT/etc/debian_version). Elsewhere: pip install the wheel, and take the units of deploy/systemd as an example"
	if [ -e "$ROOT/var/lib/dpkg/info/croupier-table.list" ]; then
		refuse "Croupier is installed here as a Debian package. Bring it up to date with: apt install ./croupier-table_VERSION.deb, or remove it first: apt remove croupier-table (the journal stays)"
	fi
	[ "$WHAT" = install ] || return 0
	"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
		refuse "Croupier needs Python 3.11 or newer; $PYTHON is $("$PYTHON" -V 2>&1 || true). Raspberry Pi OS has had it since Bookworm (2023): write a newer card"
	"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
		refuse "$PYTHON can't make virtual environments. Install that first: apt install python3-venv"
}

check_room_and_clock() {
	local free released now
	free=$(df --output=avail -k "$ROOT/opt" 2>/dev/null || df --output=avail -k "${ROOT:-/}")
	free=${free##*[[:space:]]}
	[ "$free" -ge $NEEDED_KB ] ||
		refuse "only $((free / 1024)) MB are free on $ROOT/opt, and $((NEEDED_KB / 1024)) are needed. 'apt clean' often frees that much"
	released=$(stat -c %Y "$SOURCE/CHANGELOG.md" 2>/dev/null || echo 0)
	now=$(date +%s)
	if [ "$now" -lt $((released - 86400)) ]; then
		say "warning: the clock says $(date +%F), before this version was made ($(date -d "@$released" +%F)): set it, or certificates look wrong (timedatectl set-time, or a network with NTP)"
	fi
}

make_users_and_folders() {
	local copied=''
	put_file sysusers.d/croupier.conf /usr/lib/sysusers.d/croupier.conf && copied=yes
	put_file tmpfiles.d/croupier.conf /usr/lib/tmpfiles.d/croupier.conf && copied=yes
	if [ -n "$copied" ] || ! grep -q '^croupier-kiosk:' "$ROOT/etc/passwd" || [ ! -d "$ROOT$STATE" ]; then
		do_it "make the users croupier and croupier-kiosk, in the groups of serial lines, USB and pins" \
			systemd-sysusers --root="${ROOT:-/}" croupier.conf
		do_it "make $STATE and /etc/croupier" systemd-tmpfiles --root="${ROOT:-/}" --create croupier.conf
	fi
}

# put_file FROM TO: 0 if it was new or another one
put_file() {
	local from=$HERE/$1 to=$ROOT$2
	if cmp -s "$from" "$to"; then return 1; fi
	do_it "write $2" install -D -m "${3:-0644}" "$from" "$to"
}

# What the installed version is called: a hash of all that goes into it, so that the same is not installed twice.
version_name() {
	local number
	number=$(sed -n 's/^version = "\(.*\)"/\1/p' "$SOURCE/pyproject.toml" 2>/dev/null | head -n 1)
	if [ -n "$WHEELS" ]; then
		number=$(basename "$WHEELS"/croupier_table-*.whl | cut -d- -f2)
		echo "$number-$(sha256sum <"$WHEELS/SHA256SUMS" | cut -c1-12)"
	else
		echo "$number-$(cd "$SOURCE" && find controller docs drivers firmware_protocol hil pyproject.toml requirements*.lock \
			-type f -not -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-12)"
	fi
}

# The lock with the library for the Pi's pins, where there are any.
lock_file() {
	if [ -n "$(find "${ROOT:-}/dev" -maxdepth 1 -name 'gpiochip*' -print -quit 2>/dev/null)" ]; then
		echo "$SOURCE/requirements-kernel.lock"
	else
		echo "$SOURCE/requirements.lock"
	fi
}

install_program() {
	local name folder lock
	if [ -n "$WHEELS" ]; then
		compgen -G "$WHEELS/croupier_table-*.whl" >/dev/null && [ -f "$WHEELS/SHA256SUMS" ] ||
			refuse "$WHEELS holds no croupier_table-….whl with SHA256SUMS. Make such a folder with: make wheels"
		(cd "$WHEELS" && sha256sum --check --strict --quiet SHA256SUMS >&2) ||
			refuse "$WHEELS was damaged on its way: the files above are not what make wheels put there. Copy it again"
	fi
	name=$(version_name)
	folder=$PROGRAM/versions/$name
	lock=$(lock_file)
	[ -x "$ROOT$folder/bin/croupier" ] || do_it "install Croupier into $folder" build_environment "$folder" "$lock"
	[ "$(readlink "$ROOT$PROGRAM/current")" = "versions/$name" ] ||
		do_it "let $PROGRAM/current be that version" switch_to "$name"
	[ "$(readlink "$ROOT$COMMAND")" = "$PROGRAM/current/bin/croupier" ] || do_it "make the command croupier" make_command
}

make_command() { mkdir -p "$ROOT${COMMAND%/*}" && ln -sfn "$PROGRAM/current/bin/croupier" "$ROOT$COMMAND"; }

# A version is made beside the old one under a name of its own, and only a whole one gets its name.
build_environment() {
	local folder=$1 lock=$2
	local pip=("$ROOT$folder/bin/python" -m pip --disable-pip-version-check --quiet install)
	trap 'rm -rf "$ROOT${folder:?}"; exit 1' INT TERM
	rm -rf "$ROOT${folder:?}" && "$PYTHON" -m venv "$ROOT$folder" || return
	if [ -n "$WHEELS" ]; then
		"${pip[@]}" --no-index --no-deps "$WHEELS"/*.whl
	else # every part as the lock has it, and what is ours on top
		"${pip[@]}" --require-hashes -r "$lock" && "${pip[@]}" --no-deps "$SOURCE"
	fi && "$ROOT$folder/bin/python" -m pip --disable-pip-version-check --quiet check >&2 && "$ROOT$folder/bin/croupier" games >/dev/null && write_help "$ROOT$folder" || {
		rm -rf "$ROOT${folder:?}"
		echo "Not everything could be installed. Without a network, make a folder of wheels on another machine of the same kind (make wheels), bring it here and say --wheels FOLDER." >&2
		return 1
	}
	trap - INT TERM
	if [ -n "$ROOT" ]; then # it will be started where ROOT is /
		grep -rlI "$ROOT$folder" "$ROOT$folder/bin" "$ROOT$folder/pyvenv.cfg" | xargs -r sed -i "s|$ROOT$folder|$folder|g"
	fi
}

write_help() {
	local share=$1/share program=$1/bin/croupier file
	for file in $HELP; do mkdir -p "$share/${file%/*}" || return; done
	"$program" man >"$share/man/man1/croupier.1" &&
		"$program" completion bash >"$share/bash-completion/completions/croupier" &&
		"$program" completion zsh >"$share/zsh/site-functions/_croupier" &&
		"$program" completion fish >"$share/fish/vendor_completions.d/croupier.fish"
}

# The version of before stays: a daemon that still runs it reads parts of it when it needs them, and it is the way back.
switch_to() {
	local before
	before=$(basename "$(readlink "$ROOT$PROGRAM/current" || echo "$1")")
	ln -sfn "versions/$1" "$ROOT$PROGRAM/next" && mv -T "$ROOT$PROGRAM/next" "$ROOT$PROGRAM/current" &&
		find "$ROOT$PROGRAM/versions" -mindepth 1 -maxdepth 1 -not -name "$1" -not -name "$before" -exec rm -rf {} +
}

install_system_files() {
	local unit units='' rules='' file
	for unit in $UNITS; do
		put_file "systemd/$unit" "/etc/systemd/system/$unit" && units=yes
	done
	put_file udev/60-croupier.rules /etc/udev/rules.d/60-croupier.rules && rules=yes
	put_file journald/croupier.conf /etc/systemd/journald.conf.d/croupier.conf || true
	put_file croupier-hotspot /usr/local/sbin/croupier-hotspot 0755 || true
	for file in $HELP; do # by way of current, so that they are always those of the version that runs
		[ "$(readlink "$ROOT/usr/local/share/$file")" = "$PROGRAM/current/share/$file" ] ||
			do_it "write /usr/local/share/$file" link_help "$file"
	done
	has_systemd || return 0
	[ -z "$units" ] || do_it "have systemd read the units" systemctl daemon-reload
	[ -z "$rules" ] || do_it "have udev read the rules" reload_rules
}

link_help() {
	mkdir -p "$ROOT/usr/local/share/${1%/*}" && ln -sfn "$PROGRAM/current/share/$1" "$ROOT/usr/local/share/$1"
}

reload_rules() { udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=usb; }

make_configuration() {
	[ ! -e "$ROOT$CONFIGURATION" ] || return 0
	do_it "write $CONFIGURATION to start from, with simulated devices" write_configuration
}

write_configuration() {
	local new=$ROOT$CONFIGURATION.new group
	group=$(sed -n 's/^croupier:[^:]*:\([0-9]*\):.*/\1/p' "$ROOT/etc/group") &&
		sed 's|^path = "table.db" |path = "'$STATE'/table.db" |' \
			"$ROOT$PROGRAM"/current/lib/python3*/site-packages/controller/config/default.toml >"$new" &&
		grep -q "$STATE/table.db" "$new" && # else the default has another form now
		chmod 0640 "$new" && chown "root:$group" "$new" && mv "$new" "$ROOT$CONFIGURATION"
}

enable_kiosk() {
	local page
	if ! command -v cage >/dev/null || ! command -v chromium >/dev/null; then
		do_it "install cage and chromium for the screen" \
			apt-get install -y -qq --no-install-recommends cage chromium
	fi
	for page in "$@"; do
		has_systemd || continue
		systemctl is-enabled --quiet "croupier-kiosk@$page" 2>/dev/null ||
			do_it "show /$page on this machine's screen" systemctl enable "croupier-kiosk@$page"
	done
}

start_table() {
	has_systemd || return 0
	systemctl is-enabled --quiet croupier 2>/dev/null || do_it "start the table with the machine" systemctl enable croupier
	if ! systemctl is-active --quiet croupier; then
		do_it "start the table" systemctl start croupier
	elif [ -n "$CHANGED" ]; then
		do_it "start the table anew; it goes on where it was" systemctl restart croupier
	fi
}

say_what_next() {
	if [ -z "$CHANGED" ]; then
		echo "Everything was there already; nothing was changed."
		return
	fi
	[ -z "$DRY" ] || return 0
	cat <<-TEXT
		Installed. Next:
		  sudo croupier devices                      which shoe and which signs are plugged in, and the line to copy
		  sudo nano $CONFIGURATION       put them in the place of the simulated ones
		  sudo croupier check                        is it right?
		  sudo croupier people add NAME --role supervisor
		  sudo systemctl restart croupier
		  sudo croupier doctor                       is everything well?
	TEXT
}

# Taking it off

stop_everything() {
	has_systemd || return 0
	local unit
	for unit in $(systemctl list-units --all --plain --no-legend 'croupier*.service' | cut -d' ' -f1); do
		do_it "stop $unit" systemctl disable --now "$unit"
	done
}

remove_system_files() {
	local file gone=''
	for file in /etc/systemd/system/croupier.service /etc/systemd/system/croupier-kiosk@.service \
		/etc/udev/rules.d/60-croupier.rules /etc/systemd/journald.conf.d/croupier.conf /usr/local/sbin/croupier-hotspot \
		/usr/lib/sysusers.d/croupier.conf /usr/lib/tmpfiles.d/croupier.conf $(printf '/usr/local/share/%s ' $HELP); do
		[ -e "$ROOT$file" ] || [ -L "$ROOT$file" ] || continue
		do_it "remove $file" rm -f "$ROOT$file"
		gone=yes
	done
	if [ -n "$gone" ] && has_systemd; then do_it "have systemd read the units" systemctl daemon-reload; fi
}

remove_program() {
	if [ -e "$ROOT$PROGRAM" ]; then do_it "remove $PROGRAM" rm -rf "$ROOT${PROGRAM:?}"; fi
	if [ -L "$ROOT$COMMAND" ]; then do_it "remove the command croupier" rm -f "$ROOT$COMMAND"; fi
}

say_what_is_kept() {
	[ -n "$CHANGED" ] || echo "There was nothing to take off."
	[ ! -d "$ROOT$STATE" ] || echo "Kept: $STATE (the journal) and /etc/croupier, with their user. Remove them by hand if nobody needs them any more."
	[ ! -e "$ROOT/etc/NetworkManager/system-connections/croupier-hotspot.nmconnection" ] || echo "Kept: the table's Wi-Fi network. To end it: sudo nmcli connection delete croupier-hotspot"
}
