// Buttons: one with words, and one with an icon whose words are read out.

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  children?: ComponentChildren;
  kind?: "plain" | "primary" | "danger" | "quiet";
  type?: "button" | "submit";
  disabled?: boolean;
  onClick?: () => void;
}

export function Button({
  children,
  kind = "plain",
  type = "button",
  disabled = false,
  onClick,
}: ButtonProps) {
  return (
    <button class="button" data-kind={kind} type={type} disabled={disabled} onClick={onClick}>
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonProps {
  icon: IconName;
  label: string;
}

export function IconButton({ icon, label, kind = "quiet", disabled = false, onClick }: IconButtonProps) {
  return (
    <button
      class="button button-icon"
      data-kind={kind}
      type="button"
      disabled={disabled}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
