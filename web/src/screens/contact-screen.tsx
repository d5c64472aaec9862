import { useOperatorData } from '../api/operator-data.ts';
import { MemberContactPage, PublicContactPage } from '../features/contact/contact-page.tsx';
import { loadNamespaces } from '../i18n/i18n.ts';
import { useLazyModule } from '../routing/navigation.ts';
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

const loadChat = async () => {
  const [{ ChatWidget }] = await Promise.all([import('../features/chat/chat-widget.tsx'), loadNamespaces(['chat'])]);
  return { ChatWidget };
};

/** Chat button if the operator has a chat; its chunk loads after the page. */
function LazyChat() {
  const { data } = useOperatorData('GET /api/lookup/enableChatWidget', true);
  const isChatEnabled = data?.enableChatWidget === true;
  // If the chat fails to load, the other contact channels remain.
  const { loadedModule: chat } = useLazyModule(loadChat, { isEnabled: isChatEnabled, isOptional: true });
  return (
    isChatEnabled &&
    chat && (
      <SectionBoundary sectionName="chat">
        <chat.ChatWidget />
      </SectionBoundary>
    )
  );
}
