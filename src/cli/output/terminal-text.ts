// Text from models, tools and other people on its way to a terminal: line breaks and tabs stay, everything that could
// move the cursor, change a title or hide something does not.

export function terminalText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '');
}
