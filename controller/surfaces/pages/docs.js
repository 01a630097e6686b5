// Both documents of the table's interface, made readable: what can be asked and entered, what the stream says, what can
// go wrong. Nothing is fetched but the documents themselves.

import {get} from "/pages/api.js";
import {element} from "/pages/dealer-dom.js";
import {fieldsOf, shapeOf, words} from "/pages/docs-shapes.js";
import {watch} from "/pages/stream.js";
import {texts} from "/pages/texts.js";

const t = await texts();
document.title = t("docs.title");
const contents = document.getElementById("contents");
watch({}); // only for whether this table is simulated
const place = document.getElementById("documents");

try {
  const [api, stream] = await Promise.all([get("/api/v1/openapi.json"), get("/api/v1/asyncapi.json")]);
  place.replaceChildren(...apiDocument(api), ...streamDocument(stream));
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
} catch (error) {
  document.getElementById("waiting").textContent = error.problem?.detail ?? String(error);
}

// The API

function apiDocument(api) {
  return [
    element("h1", {}, t("docs.title")),
    part("http", t("docs.http"), "/api/v1/openapi.json", [
      ...words(api.info.description),
      ...Object.entries(api.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => operationBox(api, method, path, operation)),
      ),
    ]),
    part("inputs", t("docs.inputs"), "", inputs(api)),
    part("problems", t("docs.problems"), "", [problems(api)]),
    part("types", t("docs.types"), "", types(api, "type-")),
  ];
}

function operationBox(api, method, path, operation) {
  const id = `${method}-${path.replace(/\W+/g, "-")}`;
  const asked = operation.parameters.map((each) => (each.$ref ? found(api, each.$ref) : each));
  const answers = Object.entries(operation.responses);
  return element(
    "details",
    {class: "operation panel", id},
    element(
      "summary",
      {},
      element("span", {class: `method ${method}`}, method.toUpperCase()),
      element("code", {}, path),
      element("span", {class: "quiet"}, operation.summary),
    ),
    ...words(operation.description ?? ""),
    asked.length ? element("h4", {}, t("docs.asks")) : "",
    asked.length ? rows(asked.map((each) => [code(each.name), t(`docs.in.${each.in}`), shapeOf(each.schema, "type-"), inline(each.description ?? "")])) : "",
    operation.requestBody ? element("p", {}, element("a", {href: "#inputs"}, t("docs.body"))) : "",
    element("h4", {}, t("docs.answers")),
    rows(answers.map(([status, answer]) => [code(status), answerShape(answer), inline(answer.description)])),
  );
}

function answerShape(answer) {
  const [content] = Object.values(answer.content ?? {});
  return content ? shapeOf(content.schema, "type-") : "";
}

function inputs(api) {
  const body = api.paths["/api/v1/inputs"].post.requestBody.content["application/json"].schema;
  return Object.entries(body.discriminator.mapping).map(([name, ref]) => {
    const schema = found(api, ref);
    return element(
      "section",
      {class: "panel input", id: `input-${name}`},
      element("h3", {}, code(name)),
      ...words(schema.description ?? ""),
      fieldsOf(schema, "type-", {leaveOut: ["input"], none: t("docs.no_fields"), required: t("docs.required")}),
      element("pre", {}, JSON.stringify(example(schema))),
    );
  });
}

/** As it would be sent: the fields that must be there, with something of their kind. */
function example(schema) {
  const made = {};
  for (const name of schema.required ?? []) {
    const field = schema.properties[name];
    made[name] = field.enum ? field.enum[0] : {integer: 1, string: "…", boolean: true}[field.type] ?? null;
  }
  return {input: schema.properties.input.enum[0], ...made};
}

function problems(api) {
  const kinds = new Map();
  for (const item of Object.values(api.paths)) {
    for (const operation of Object.values(item)) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        for (const [, kind, title] of answer.description.matchAll(/`(\w+)`: ([^.]+)\./g)) kinds.set(kind, [status, title]);
      }
    }
  }
  const sorted = [...kinds].sort(([, [one]], [, [two]]) => one - two);
  return rows(sorted.map(([kind, [status, title]]) => [code(status), code(kind), title]));
}

// The stream

function streamDocument(stream) {
  const channels = Object.values(stream.channels);
  const messages = Object.values(stream.components.messages);
  return [
    part("stream", t("docs.stream"), "/api/v1/asyncapi.json", [
      ...words(stream.info.description),
      ...channels.map((channel) =>
        element(
          "section",
          {class: "panel"},
          element("h3", {}, element("span", {class: "method ws"}, "WS"), " ", code(channel.address)),
          ...words(channel.description),
          element("h4", {}, t("docs.asks")),
          fieldsOf(channel.bindings.ws.query, "stream-", {none: "", required: t("docs.required")}),
        ),
      ),
    ]),
    part("messages", t("docs.messages"), "", messages.map((message) => messageBox(stream, message))),
    part("stream-types", t("docs.stream_types"), "", types(stream, "stream-")),
  ];
}

function messageBox(stream, message) {
  const schema = found(stream, message.payload.$ref);
  return element(
    "section",
    {class: "panel input"},
    element("h3", {}, code(message.name), " ", element("span", {class: "quiet"}, message.summary)),
    ...words(schema.description ?? ""),
    fieldsOf(schema, "stream-", {none: "", required: t("docs.required")}),
  );
}

// Both

function types(document, prefix) {
  return Object.entries(document.components.schemas).map(([name, schema]) =>
    element(
      "section",
      {class: "panel type", id: prefix + name},
      element("h3", {}, code(name)),
      ...words(schema.description ?? ""),
      schema.properties ? fieldsOf(schema, prefix, {none: t("docs.no_fields"), required: t("docs.required")}) : shapeOf(schema, prefix),
    ),
  );
}

function part(id, title, address, children) {
  contents.append(element("a", {href: `#${id}`}, title));
  return element(
    "section",
    {class: "part", id},
    element("h2", {}, title, address ? element("a", {class: "source", href: address}, address) : ""),
    ...children,
  );
}

function rows(lines) {
  const made = lines.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  return element("table", {}, element("tbody", {}, ...made));
}

function inline(text) {
  return element("span", {}, ...words(text).flatMap((paragraph) => [...paragraph.childNodes]));
}

function code(text) {
  return element("code", {}, text);
}

function found(document, ref) {
  return ref.slice(2).split("/").reduce((inner, name) => inner[name], document);
}
