import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { warm } from '../routing/screen.ts';

/** The look of one entry of the menu: a column of icon and word below, a row on the side of wide screens. */
export const menuEntryClass = 'menu-entry group';

export type MenuLinkProps = { href: string; icon: ReactNode; className?: string; children: ReactNode };

/** An entry of the menu that leads to a place; marked when one is there. Its screen is loaded when a finger comes near. */
export function MenuLink({ href, icon, className = '', children }: MenuLinkProps) {
  const [path] = useLocation();
  return (
    <Link
      href={href}
      aria-current={path === href ? 'page' : undefined}
      onPointerEnter={() => warm(href)}
      onFocus={() => warm(href)}
      className={`${menuEntryClass} ${className}`}
    >
      {icon}
      <span className="py-0.5 leading-normal">{children}</span>
    </Link>
  );
}
