import { ProfilePage } from '../features/profile/profile-page.tsx';
import { loadNamespaces } from '../i18n/i18n.ts';
import { useLazyModule } from '../routing/navigation.ts';
import { loadAside } from './start-aside.ts';

/** The cards load together, because one after the other would move the next. */
async function loadDeviceParts() {
  const [{ Bell }, { ThemeSettings }, { InstallEntry }, { PushSettings }] = await Promise.all([
    loadAside(),
    import('../features/profile/theme-settings.tsx'),
    import('../features/install/install-entry.tsx'),
    import('../features/notification/push-settings.tsx'),
    loadNamespaces(['install', 'push', 'errors']),
  ]);
  return { Bell, ThemeSettings, InstallEntry, PushSettings };
}

/** The profile with the bell, and below it what belongs to this device: its theme, its installation and its push messages. */
export function ProfileScreen() {
  const { loadedModule: device } = useLazyModule(loadDeviceParts, { isOptional: true });
  return (
    <>
      <ProfilePage bell={<div className="-my-1.5 size-11 shrink-0">{device && <device.Bell />}</div>} />
      {device && <device.ThemeSettings />}
      {device && <device.InstallEntry />}
      {device && <device.PushSettings />}
    </>
  );
}
