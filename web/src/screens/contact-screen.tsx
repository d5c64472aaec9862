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

/** The chat button, if the operator has a chat; loaded after the page. */
function LaterChat() {
  const { data } = useLookup('GET /api/lookup/enableChatWidget', true);
  const isWanted = data?.enableChatWidget === true;
  const [Widget, setWidget] = useState<ComponentType>();
  useEffect(() => {
    if (!isWanted) return;
    // After a failure, the other contact channels remain.
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
