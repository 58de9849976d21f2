import type { ReactNode, Ref } from 'react';
import { Icon, type IconName } from './icons.js';

interface ButtonProps {
  readonly children: ReactNode;
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly icon?: IconName;
  /** Whether the action of the button is running. */
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  /** For screen readers, where the text alone is not enough. */
  readonly label?: string;
}

/** A button with a text. While busy it can't be pressed again, and keeps the focus. */
export function Button(props: ButtonProps) {
  const {
    children,
    kind = 'plain',
    type = 'button',
    icon,
    isBusy = false,
    disabled = false,
    onClick,
  } = props;
  return (
    <button
      type={type}
      className={`button ${kind}`}
      disabled={disabled}
      aria-busy={isBusy}
      aria-disabled={isBusy}
      aria-label={props.label}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button with only an icon; its label is for screen readers and tooltips. */
export function IconButton({ icon, label, onClick, disabled = false, ref }: IconButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
