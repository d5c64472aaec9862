/** Id of the element that shows the balance before the app does. */
export const EARLY_BALANCE_ID = 'early-balance';
/** What the prerendered page says its amount is in; other currencies wait for the app. */
export const EARLY_CURRENCY = 'BAHT';
