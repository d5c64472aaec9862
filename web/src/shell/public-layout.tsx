import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ContactIcon, GuideIcon, HomeIcon, UserAddIcon } from '../ui/core/icons.tsx';
import { Frame, LanguageMenu, MenuLink, useAppName } from './frame.tsx';

/** Layout of the public pages. */
export function PublicLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation('common');
  const name = useAppName();
  const menu = (
    <>
      <MenuLink href="/login" icon={<HomeIcon />}>
        {t('menu.home')}
      </MenuLink>
      <MenuLink href="/register" icon={<UserAddIcon />}>
        {t('menu.register')}
      </MenuLink>
      <MenuLink href="/howto" icon={<GuideIcon />}>
        {t('menu.howto')}
      </MenuLink>
      <MenuLink href="/contact" icon={<ContactIcon />}>
        {t('menu.contact')}
      </MenuLink>
    </>
  );
  return (
    <Frame name={name} tools={<LanguageMenu />} menu={menu}>
      <div className="beside-art">
        <div>{children}</div>
        {/* Shown on wide screens only. Lazy, so that phones don't load it. */}
        <img src="/art/bag.svg" alt="" width="520" height="560" loading="lazy" />
      </div>
    </Frame>
  );
}
