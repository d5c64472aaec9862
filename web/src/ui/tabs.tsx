import { useId, type KeyboardEvent, type ReactNode } from 'react';

export type Tab<Id extends string> = { id: Id; label: ReactNode };

export type TabsProps<Id extends string> = {
  label: string;
  tabs: readonly Tab<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  /** Panel of the selected tab. */
  children: ReactNode;
};

/** Tabs with panels. Arrow keys, Home and End select a tab. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const selectedIndex = tabs.findIndex((tab) => tab.id === selected);
    const lastIndex = tabs.length - 1;
    const targetIndex = {
      ArrowRight: selectedIndex === lastIndex ? 0 : selectedIndex + 1,
      ArrowLeft: selectedIndex === 0 ? lastIndex : selectedIndex - 1,
      Home: 0,
      End: lastIndex,
    }[event.key];
    const targetTab = targetIndex === undefined ? undefined : tabs[targetIndex];
    if (!targetTab) return;
    event.preventDefault();
    onSelect(targetTab.id);
    document.getElementById(`${id}${targetTab.id}`)?.focus();
  };
  return (
    <div>
      <div
        role="tablist"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={onKeyDown}
        className="flex gap-2 overflow-x-auto rounded-md bg-well p-1"
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${id}panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            className="min-h-11 grow rounded-sm px-3 text-sm font-medium whitespace-nowrap text-muted transition-colors hover:text-ivory focus-visible:-outline-offset-2 aria-selected:bg-raised aria-selected:text-gold-lit aria-selected:shadow-low"
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${selected}`} className="pt-4">
        {children}
      </div>
    </div>
  );
}
