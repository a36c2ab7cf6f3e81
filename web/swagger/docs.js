// Swagger UI with this server's document: the key filled in where the page was given it, all operations folded.
"use strict";

const { key, token } = document.documentElement.dataset;

// The filter box looks into paths and titles; Swagger UI's own looks at the areas' names alone.
const search = () => ({
  // A path is no link: it stands in a button, which opens the operation and puts it into the address.
  wrapComponents: { DeepLink: (_, { React }) => ({ text }) => React.createElement("span", null, text) },
  fn: {
    opsFilter: (areas, phrase) => {
      const words = phrase.toLowerCase().split(/\s+/);
      const fits = (area) => (operation) => {
        const text = [area, operation.get("method"), operation.get("path"), operation.getIn(["operation", "summary"])];
        return words.every((word) => text.join(" ").toLowerCase().includes(word));
      };
      const found = areas.map((about, area) => about.update("operations", (all) => all.filter(fits(area))));
      return found.filter((about) => about.get("operations").size);
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        // What was filtered is seen, though its area was folded.
        isShown: (original, { layoutSelectors }) => (_, thing, folded) => {
          const filter = layoutSelectors.currentFilter();
          const isArea = thing[0] === "operations-tag" && typeof filter === "string" && filter !== "";
          return isArea || original(thing, folded);
        },
      },
    },
  },
});

// What nobody can use here is not asked for: the plane's token where there is none, a scheme beside the key.
function onlyInUse(spec) {
  const kept = token === undefined ? ["apiKey"] : ["apiKey", "drylineToken"];
  const schemes = spec.components.securitySchemes;
  spec.components.securitySchemes = Object.fromEntries(kept.map((name) => [name, schemes[name]]));
  for (const path of Object.values(spec.paths)) {
    for (const operation of Object.values(path)) {
      operation.security = operation.security?.filter((one) => Object.keys(one).every((name) => kept.includes(name)));
      if (operation.security?.every((one) => !Object.keys(one).length)) delete operation.security;
    }
  }
  return spec;
}

// Give a name to the list of servers, and let the keyboard scroll the examples.
function complete() {
  document.querySelector(".servers select")?.setAttribute("aria-label", "Server");
  for (const example of document.querySelectorAll(".swagger-ui pre:not([tabindex])")) example.tabIndex = 0;
}

async function begin() {
  new MutationObserver(complete).observe(document.getElementById("swagger-ui"), { childList: true, subtree: true });
  const answer = await fetch(`${document.documentElement.dataset.root}/openapi.json`);
  const ui = SwaggerUIBundle({
    spec: onlyInUse(await answer.json()),
    dom_id: "#swagger-ui",
    deepLinking: true,
    persistAuthorization: true,
    docExpansion: "none",
    filter: true,
    plugins: [search],
    onComplete: () => {
      if (key) ui.preauthorizeApiKey("apiKey", key);
      const filter = document.querySelector(".operation-filter-input");
      filter.placeholder = "Filter: exports, post, /workers …";
      filter.setAttribute("aria-label", "Filter the operations");
    },
  });
}

begin();
