// Replaces the page in an unsupported browser. Runs uncompiled, so it uses ES3 only. The build inserts NOTICES.
(function () {
  var notices = NOTICES;
  function add(parent, tag, text, style) {
    var element = document.createElement(tag);
    element.style.cssText = style;
    if (text) element.appendChild(document.createTextNode(text));
    parent.appendChild(element);
    return element;
  }
  function show() {
    var body = document.body;
    while (body.firstChild) body.removeChild(body.firstChild);
    document.documentElement.removeAttribute('data-wait');
    body.style.cssText = 'margin:0;padding:24px 20px;background:#150a14;color:#f8eedf;font:16px/1.6 Krapao,system-ui,sans-serif';
    for (var i = 0; i < notices.length; i += 1) {
      var notice = notices[i];
      var section = add(body, 'div', '', 'max-width:560px;margin:0 auto 20px;padding:20px;background:#23121f;border-radius:12px');
      section.lang = notice.lang;
      add(section, 'h1', notice.title, 'margin:0 0 8px;font-size:20px;line-height:1.4;color:#e6b860');
      add(section, 'p', notice.text, 'margin:0 0 8px');
      add(section, 'p', notice.money, 'margin:0');
    }
  }
  if (document.readyState === 'loading' && document.addEventListener) document.addEventListener('DOMContentLoaded', show, false);
  else if (document.body) show();
  else window.onload = show;
})();
