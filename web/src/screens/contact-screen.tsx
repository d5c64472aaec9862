import { type ComponentType, useEffect, useState } from 'react';
import { useLookup } from '../api/lookup.ts';
import { MemberContactPage, PublicContactPage } from '../features/contact/contact-page.tsx';
import { loadNamespaces } from '../i18n/i18n.ts';
import { SectionBoundary } from '../shell/error-boundary.tsx';

export const PublicContactScreen = () => (
  <>
    <PublicContactPage />
    <LaterChat />
  </>
);

export const MemberContactScreen = () => (
  <>
    <MemberContactPage />
    <LaterChat />
  </>
);

/** The chat's button, where the operator has a chat. The page doesn't wait for it. */
function LaterChat() {
  const { data } = useLookup('GET /api/lookup/enableChatWidget', true);
  const isWanted = data?.enableChatWidget === true;
  const [Widget, setWidget] = useState<ComponentType>();
  useEffect(() => {
    if (!isWanted) return;
    // Whom it doesn't reach still has the other ways to contact us.
    Promise.all([import('../features/chat/chat-widget.tsx'), loadNamespaces(['chat'])]).then(
      ([{ ChatWidget }]) => setWidget(() => ChatWidget),
      () => undefined,
    );
  }, [isWanted]);
  return (
    isWanted &&
    Widget && (
      <SectionBoundary part="chat">
        <Widget />
      </SectionBoundary>
    )
  );
}
