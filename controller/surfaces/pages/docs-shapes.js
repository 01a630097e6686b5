// JSON Schemas in words: what kind a value is, and which fields an object has. Leads to named types by links.

import {element} from "/pages/dealer-dom.js";

/** Paragraphs of a text in which `code` is marked so. */
export function words(text) {
  return text
    .split(/\n\s*\n/)
    .filter(Boolean)
    .map((paragraph) =>
      element("p", {}, ...paragraph.split("`").map((piece, index) => (index % 2 ? element("code", {}, piece) : piece))),
    );
}

/** A value's kind: `text`, `list of CardAt`, `text or null`. `prefix` is that of the named types' places on the page. */
export function shapeOf(schema, prefix) {
  const box = element("span", {class: "shape"});
  box.append(...pieces(schema, prefix));
  return box;
}

/** A table of an object's fields. */
export function fieldsOf(schema, prefix, {leaveOut = [], none, required}) {
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !leaveOut.includes(name));
  if (!fields.length) return element("p", {class: "quiet"}, none);
  const lines = fields.map(([name, field]) =>
    element(
      "tr",
      {},
      element("td", {}, element("code", {}, name)),
      element("td", {}, shapeOf(field, prefix)),
      element("td", {class: "quiet"}, (schema.required ?? []).includes(name) ? required : standard(field)),
      element("td", {}, field.description ?? ""),
    ),
  );
  return element("table", {}, element("tbody", {}, ...lines));
}

function standard(field) {
  return field.default === undefined ? "" : JSON.stringify(field.default);
}

function pieces(schema, prefix) {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    return [element("a", {href: `#${prefix}${name}`}, name)];
  }
  if (schema.anyOf) return joined(schema.anyOf.map((each) => pieces(each, prefix)), " or ");
  if (schema.enum) return [schema.enum.map((each) => JSON.stringify(each)).join(", ")];
  if (schema.type === "array") return list(schema, prefix);
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return ["map of ", ...pieces(schema.additionalProperties, prefix)];
  }
  if (schema.type === "object" && schema.properties) {
    return ["{", ...joined(Object.entries(schema.properties).map(([name, each]) => [`${name}: `, ...pieces(each, prefix)]), ", "), "}"];
  }
  return [{string: "text", integer: "whole number", number: "number", boolean: "yes or no", null: "null"}[schema.type] ?? schema.type ?? "anything"];
}

function list(schema, prefix) {
  const each = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : null);
  if (each) return ["[", ...joined(each.map((inner) => pieces(inner, prefix)), ", "), "]"];
  return ["list of ", ...pieces(schema.items ?? {}, prefix)];
}

function joined(parts, between) {
  return parts.flatMap((part, index) => (index ? [between, ...part] : part));
}
