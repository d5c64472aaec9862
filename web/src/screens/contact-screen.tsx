import { type ComponentType, useEffect, useState } from 'react';
import { useLookup } from '../api/lookup.ts';
import { MemberContactPage, PublicContactPage } from '../features/contact/contact-page.tsx';
import { loadNamespaces } from '../i18n/i18n.ts';
import { SectionBoundary } from '../shell/error-boundary.tsx';

export const PublicContactScreen = () => (
  <>
    <PublicContactPage />
    <LazyChat />
  </>
);

export const MemberContactScreen = () => (
  <>
    <MemberContactPage />
    <LazyChat />
  </>
);

/** Chat button if the operator has a chat; its chunk loads after the page. */
function LazyChat() {
  const { data } = useLookup('GET /api/lookup/enableChatWidget', true);
  const isChatEnabled = data?.enableChatWidget === true;
  const [ChatWidgetComponent, setWidget] = useState<ComponentType>();
  useEffect(() => {
    if (!isChatEnabled) return;
    // If the chat fails to load, the other contact channels remain.
    Promise.all([import('../features/chat/chat-widget.tsx'), loadNamespaces(['chat'])]).then(
      ([{ ChatWidget }]) => setWidget(() => ChatWidget),
      () => undefined,
    );
  }, [isChatEnabled]);
  return (
    isChatEnabled &&
    ChatWidgetComponent && (
      <SectionBoundary sectionName="chat">
        <ChatWidgetComponent />
      </SectionBoundary>
    )
  );
}
