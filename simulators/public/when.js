/** Days and times as people in Bangkok and Vientiane write them. Few browsers know Lao months, so those stand here. */

const ZONE = { timeZone: 'Asia/Bangkok' };
const LOCALES = { th: 'th-TH', en: 'en-GB' };
const LAO_DAYS = ['ອາທິດ', 'ຈັນ', 'ອັງຄານ', 'ພຸດ', 'ພະຫັດ', 'ສຸກ', 'ເສົາ'];
const LAO_MONTHS = ['ມັງກອນ', 'ກຸມພາ', 'ມີນາ', 'ເມສາ', 'ພຶດສະພາ', 'ມິຖຸນາ', 'ກໍລະກົດ', 'ສິງຫາ', 'ກັນຍາ', 'ຕຸລາ', 'ພະຈິກ', 'ທັນວາ'];

/** The day there, as one that a calendar without time zones can take apart. */
const dayThere = (at) => new Date(`${new Date(at).toLocaleDateString('en-CA', ZONE)}T00:00:00Z`);

const laoDay = (day) => `${day.getUTCDate()} ${LAO_MONTHS[day.getUTCMonth()]}`;

const formatted = (at, language, options) => new Date(at).toLocaleString(LOCALES[language], { ...options, ...ZONE });

/** `14:03` */
export const timeOf = (at) => new Date(at).toLocaleTimeString('th-TH', { hour: '2-digit', minute: '2-digit', ...ZONE });

/** `23 November` */
export const dayOf = (at, language) =>
  language === 'la' ? laoDay(dayThere(at)) : formatted(at, language, { day: 'numeric', month: 'long' });

/** `Monday 23 November` */
export function weekdayOf(at, language) {
  const day = dayThere(at);
  return language === 'la'
    ? `ວັນ${LAO_DAYS[day.getUTCDay()]} ${laoDay(day)}`
    : formatted(at, language, { weekday: 'long', day: 'numeric', month: 'long' });
}

/** `23 Nov, 14:03` */
export const momentOf = (at, language) =>
  language === 'la'
    ? `${laoDay(dayThere(at))} ${timeOf(at)}`
    : formatted(at, language, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** `23 Nov 2026, 14:03` */
export const dateOf = (at, language) =>
  language === 'la'
    ? `${laoDay(dayThere(at))} ${dayThere(at).getUTCFullYear()} ${timeOf(at)}`
    : formatted(at, language, { dateStyle: 'medium', timeStyle: 'short' });

/** Whether two moments are of one day there. */
export const isSameDay = (one, other) => dayThere(one).getTime() === dayThere(other).getTime();
