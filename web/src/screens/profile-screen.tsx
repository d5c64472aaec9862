import { ProfilePage } from '../features/profile/profile-page.tsx';
import { loadNamespaces } from '../i18n/i18n.ts';
import { useLazyModule } from '../routing/navigation.ts';

const loadInstallEntry = async () => {
  const [{ InstallEntry }] = await Promise.all([
    import('../features/install/install-entry.tsx'),
    loadNamespaces(['install']),
  ]);
  return { InstallEntry };
};

/** The profile, and below it the entry that installs the app. */
export function ProfileScreen() {
  const { loadedModule: install } = useLazyModule(loadInstallEntry, { isOptional: true });
  return (
    <>
      <ProfilePage />
      {install && <install.InstallEntry />}
    </>
  );
}
