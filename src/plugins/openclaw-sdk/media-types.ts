// What kind of file something is, by its first bytes, by what a server said, or by its name, in that order.

import { extname } from 'node:path';

export async function detectMime({
  buffer,
  headerMime,
  filePath,
}: {
  readonly buffer?: Uint8Array | undefined;
  readonly headerMime?: string | null | undefined;
  readonly filePath?: string | undefined;
}): Promise<string | undefined> {
  const sniffed = buffer && sniffedMime(buffer);
  const said = normalizeMimeType(headerMime);
  const isSaidExactly = said !== undefined && said !== 'application/octet-stream';
  return sniffed ?? (isSaidExactly ? said : (mimeTypeFromFilePath(filePath) ?? said));
}

export function normalizeMimeType(mime?: string | null): string | undefined {
  const type = mime?.split(';')[0]?.trim().toLowerCase();
  return type && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined;
}

export function getFileExtension(filePath?: string | null): string | undefined {
  if (!filePath) return undefined;
  let path = filePath;
  if (/^https?:/i.test(filePath) && URL.canParse(filePath)) path = new URL(filePath).pathname;
  return extname(path).toLowerCase() || undefined;
}

export function mimeTypeFromFilePath(filePath?: string | null): string | undefined {
  const extension = getFileExtension(filePath);
  return extension === undefined ? undefined : TYPES[extension];
}

export function extensionForMime(mime?: string | null): string | undefined {
  const type = normalizeMimeType(mime);
  return Object.entries(TYPES).find(([, known]) => known === type)?.[0];
}

export function mediaKindFromMime(mime?: string | null): 'image' | 'audio' | 'video' | 'document' | undefined {
  const type = normalizeMimeType(mime);
  const kind = type?.split('/')[0];
  if (kind === 'image' || kind === 'audio' || kind === 'video') return kind;
  return type === 'application/pdf' || kind === 'text' || type?.startsWith('application/') ? 'document' : undefined;
}

/** The first extension of a type is the one that a new file of it gets. */
const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.heic': 'image/heic',
  '.svg': 'image/svg+xml',
  '.bmp': 'image/bmp',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.wav': 'audio/wav',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.xml': 'text/xml',
  '.js': 'text/javascript',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

function sniffedMime(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE') return 'audio/wav';
  if (text.startsWith('BM')) return 'image/bmp';
  if (text.startsWith('%PDF-')) return 'application/pdf';
  if (text.startsWith('OggS')) return 'audio/ogg';
  if (text.startsWith('fLaC')) return 'audio/flac';
  if (text.startsWith('ID3')) return 'audio/mpeg';
  if (text.startsWith('\x1f\x8b')) return 'application/gzip';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'video/webm';
  if (text.slice(4, 8) === 'ftyp') return isoMediaType(text.slice(8, 12));
  return undefined;
}

function isoMediaType(brand: string): string {
  if (brand.startsWith('avif')) return 'image/avif';
  if (/^(heic|heix|mif1)/.test(brand)) return 'image/heic';
  if (brand.startsWith('M4A')) return 'audio/mp4';
  return brand.startsWith('qt') ? 'video/quicktime' : 'video/mp4';
}
