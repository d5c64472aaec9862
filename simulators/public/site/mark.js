/**
 * Shows which country's variant of a site this page is of: in an element with `data-mark` (`flag`: without the name, where
 * there is little room), or else floating on top.
 */

const COUNTRIES = {
  th: {
    name: 'ไทย',
    label: 'เว็บไซต์ประเทศไทย',
    flag: '<path fill="#a51931" d="M0 0h30v20H0z"/><path fill="#f4f5f8" d="M0 3.300h30v13.400H0z"/><path fill="#2d2a4a" d="M0 6.700h30v6.600H0z"/>',
  },
  la: {
    name: 'ລາວ',
    label: 'ເວັບໄຊປະເທດລາວ',
    flag: '<path fill="#ce1126" d="M0 0h30v20H0z"/><path fill="#002868" d="M0 5h30v10H0z"/><circle cx="15" cy="10" r="4" fill="#fff"/>',
  },
};

const known = /\/site\/(th|la)(?:\/|$)/.exec(location.pathname)?.[1];
if (known) {
  const { name, label, flag } = COUNTRIES[known];
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = '/assets/site/mark.css';
  document.head.append(style);
  const mark = document.createElement('p');
  mark.className = 'country-mark';
  mark.dataset.country = known;
  mark.lang = known === 'la' ? 'lo' : 'th';
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', label);
  mark.innerHTML = `<svg viewBox="0 0 30 20" aria-hidden="true">${flag}</svg>`;
  const place = document.querySelector('[data-mark]');
  if (place?.dataset.mark !== 'flag') mark.append(name);
  if (place) place.append(mark);
  else {
    mark.classList.add('floating');
    document.body.append(mark);
  }
}
