"""The pages for people: plain HTML, CSS and ES modules, served by `controller.surfaces.web.pages`. No Python here."""
