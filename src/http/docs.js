// Starts the viewer of docs.html. Addresses are relative to the page, which may lie below a path.
window.SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.getElementById('contract'),
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  // It would ask another host whether the contract is one.
  validatorUrl: null,
});
