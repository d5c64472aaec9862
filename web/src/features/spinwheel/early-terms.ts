import { onEarlyReply } from '../../api/early-reply.ts';
import type { Reply } from '../../api/types.ts';
import { formatAmount } from '../../format/number.ts';

/** Shows what a coin costs, in its own font: an amount in kip waits for the app, which knows the member's currency. */
onEarlyReply<Reply<'GET /api/spinwheel/setup'>>('GET /api/spinwheel/setup ', ({ result }) => {
  if (document.documentElement.dataset.variant !== 'th') return;
  // Before the wait, so that an invalid reply ends here.
  const amount = formatAmount(result.coinPer, { withSign: true });
  void document.fonts.ready.then(() => {
    const line = document.querySelector<HTMLElement>('[data-early-terms]');
    if (!line) return;
    line.textContent = line.dataset.earlyTerms?.replace('{}', amount) ?? '';
    line.classList.replace('text-transparent', 'text-muted');
  });
});
