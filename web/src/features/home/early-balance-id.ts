/** Id of the element that shows the balance before the app does. */
export const EARLY_BALANCE_ID = 'early-balance';
