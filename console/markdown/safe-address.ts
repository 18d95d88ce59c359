// Which addresses in the words of models and people may become links. Scripts, files and addresses of this page are not
// among them.

export function safeAddress(text: string): string | undefined {
  try {
    const { protocol, href } = new URL(text);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

/** A picture whose bytes are in the address itself. SVG is left out, because it can contain more than a picture. */
export function pictureAddress(text: string): string | undefined {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/.test(text) ? text : undefined;
}
