// Inlined in the head of every page; runs in browsers of any age: ES3 alone, nothing is compiled.
// Each function came with one of the oldest browsers that are supported: Safari 16.4, Firefox 128, Chrome 111.
(function () {
  var css = window.CSS;
  if (css && css.registerProperty && css.supports('color', 'color-mix(in srgb,red,red)') && window.AbortSignal && AbortSignal.timeout && [].toSorted) return;
  window.isUnsupportedBrowser = true;
  var address = '/old-browser.js';
  if (window.trustedTypes)
    address = trustedTypes.createPolicy('krapao', { createScriptURL: function (url) { return url; } }).createScriptURL(address);
  var script = document.createElement('script');
  script.src = address;
  document.getElementsByTagName('head')[0].appendChild(script);
})();
