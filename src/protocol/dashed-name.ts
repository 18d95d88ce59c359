// Names that people choose for packs and plugins: words in small letters with dashes between them, because they become
// folders, settings and arguments of commands.

const LONGEST = 64;

export function isDashedName(name: string): boolean {
  return name.length <= LONGEST && /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name);
}

/** Returns the valid name that is nearest to `name`, or undefined when nothing of `name` can be used. */
export function suggestDashedName(name: string): string | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const suggestion = (words ?? [])
    .join('-')
    .replace(/^[0-9-]+/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
  return isDashedName(suggestion) ? suggestion : undefined;
}

/** Returns the name as a heading writes it. */
export function titleOfName(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
