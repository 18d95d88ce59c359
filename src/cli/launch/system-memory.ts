// Memory that is the system's own and not the C library's: an ArrayBuffer that can be resized is mapped page by page, and is
// given back as a whole. `read-plain-text.ts` says why that matters.

/** So many bytes, all of them zero. */
export function systemMemory(size: number): Buffer {
  const memory = new (ArrayBuffer as unknown as ResizableArrayBuffer)(size, { maxByteLength: size });
  return Buffer.from(memory, 0, size);
}

/** Every version of Node that we run on has it; the types of the language that we build for do not yet. */
type ResizableArrayBuffer = new (size: number, options: { readonly maxByteLength: number }) => ArrayBuffer;
