// A switch with its words. It shows the position that the gateway has confirmed, not the one that was asked for.

export interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean | undefined;
  /** Set where the words stand elsewhere already. */
  readonly isBare?: boolean | undefined;
  onSwitch(isOn: boolean): void;
}

export function Switch({ label, isOn, isDisabled = false, isBare = false, onSwitch }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={isBare ? label : undefined}
      disabled={isDisabled}
      onClick={() => onSwitch(!isOn)}
    >
      <i aria-hidden="true" />
      {!isBare && <span>{label}</span>}
    </button>
  );
}
