// The page's smallest tools: elements, text and numbers. Whatever people, models and files say enters the page as text
// nodes; nothing here turns text into markup by itself.

export const DOM_SCRIPT = String.raw`
const byId = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

const TICK = String.fromCharCode(96);
const FENCE = new RegExp('^ {0,3}(' + TICK + '{3,}|~{3,})\\s*([^' + TICK + ']*)$');
const INLINE = new RegExp(
  '(' + TICK + '[^' + TICK + '\\n]+' + TICK + ')|(\\*\\*[^*\\n]+\\*\\*)|(https?://[^\\s<>()"\']+[^\\s<>()"\'.,;:!?])', 'g');

/** A little of Markdown: code, headings, bold and links. Everything else stays as it was written. */
function renderText(text) {
  const out = document.createDocumentFragment();
  let paragraph = [];
  let fence;
  let code = [];
  const endParagraph = () => {
    if (paragraph.length > 0) out.append(make('p', {}, ...renderInline(paragraph.join('\n'))));
    paragraph = [];
  };
  const endCode = () => {
    out.append(make('pre', { tabindex: '0' }, make('code', {}, code.join('\n'))));
    code = [];
    fence = undefined;
  };
  for (const line of text.split('\n')) {
    const match = FENCE.exec(line);
    if (fence !== undefined) {
      if (match && match[1].startsWith(fence) && match[2].trim() === '') endCode();
      else code.push(line);
    } else if (match) {
      endParagraph();
      fence = match[1];
    } else if (line.trim() === '') endParagraph();
    else if (/^#{1,6} /.test(line)) {
      endParagraph();
      out.append(make('h3', {}, ...renderInline(line.replace(/^#+ /, ''))));
    } else paragraph.push(line);
  }
  endParagraph();
  if (fence !== undefined) endCode();
  return out;
}

function renderInline(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(from, match.index));
    const [whole, code, bold, link] = match;
    if (code) nodes.push(make('code', {}, code.slice(1, -1)));
    else if (bold) nodes.push(make('strong', {}, bold.slice(2, -2)));
    else nodes.push(make('a', { href: link, target: '_blank', rel: 'noopener noreferrer' }, link));
    from = match.index + whole.length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

const count = (number) => Number(number || 0).toLocaleString('en-US');
const plural = (number, noun) => count(number) + ' ' + noun + (number === 1 ? '' : 's');
const brief = (text, length) => (text.length <= length ? text : text.slice(0, length - 1) + '…');
const duration = (ms) => (ms < 1000 ? Math.round(ms) + ' ms' : (ms / 1000).toFixed(1) + ' s');

/** What a browser may refuse to keep is not worth failing for. */
const memory = {
  get(name) {
    try { return localStorage.getItem('atrium.' + name) || undefined; } catch { return undefined; }
  },
  set(name, value) {
    try { localStorage.setItem('atrium.' + name, value); } catch {}
  },
  remove(name) {
    try { localStorage.removeItem('atrium.' + name); } catch {}
  },
};
`;
