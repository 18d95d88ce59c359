// A stretch of time in the two largest units that it has: `3 s`, `12 min`, `2 h 5 min`, `3 d 4 h`.

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;

export function describeDuration(ms: number): string {
  const at = UNITS.findIndex((unit) => ms >= unit.ms);
  const unit = UNITS[at];
  if (!unit) return '0 s';
  const whole = Math.floor(ms / unit.ms);
  // Seconds beside minutes are noise.
  const next = unit.name === 'min' ? undefined : UNITS[at + 1];
  const rest = next ? Math.floor((ms - whole * unit.ms) / next.ms) : 0;
  return next && rest > 0 ? `${whole} ${unit.name} ${rest} ${next.name}` : `${whole} ${unit.name}`;
}
