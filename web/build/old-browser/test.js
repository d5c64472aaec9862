// Inlined in the head of every page. Runs uncompiled in browsers of any age, so it uses ES3 only.
// Checks for features that the oldest supported browsers introduced: Safari 16.4, Firefox 128, Chrome 111.
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
