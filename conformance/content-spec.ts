// Long file contents are not written out in the vectors but described: a string, or a list of strings, repetitions and
// numbered lines. This expands the description.

export type ContentSpec = string | ContentSegment | readonly ContentSegment[];

type ContentSegment =
  | string
  | { readonly text: string; readonly repeat?: number }
  | {
      readonly lines: { readonly from: number; readonly to: number; readonly template: string; readonly join?: string };
    };

export function expandContent(spec: ContentSpec): string {
  return Array.isArray(spec) ? spec.map(expandSegment).join('') : expandSegment(spec as ContentSegment);
}

function expandSegment(segment: ContentSegment): string {
  if (typeof segment === 'string') return segment;
  if ('text' in segment) return segment.text.repeat(segment.repeat ?? 1);
  const { from, to, template, join = '\n' } = segment.lines;
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => numbered(template, from + index)).join(join);
}

function numbered(template: string, number: number): string {
  return template.replaceAll('{i}', String(number)).replaceAll('{i4}', String(number).padStart(4, '0'));
}
