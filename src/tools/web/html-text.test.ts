import { describe, expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

const url = new URL('https://example.org/docs/page.html');
const signal = new AbortController().signal;
const textOf = async (html: string) => (await htmlText(html, { url, maxChars: 10_000, signal })).text;

describe('the text of a page', () => {
  it('has its title, headings, paragraphs and line breaks', async () => {
    const page = `<!doctype html><html><head><title>A &amp; B</title><style>p{}</style></head><body>
      <h1>One</h1><p>First   <b>bold</b>,
      same line.</p><p>Second<br>line</p><h2>Two</h2>Loose text</body></html>`;
    expect(await textOf(page)).toBe(
      'Title: A & B\n\n# One\n\nFirst bold, same line.\n\nSecond\nline\n\n## Two\n\nLoose text',
    );
  });

  it('has lists in lists, and paragraphs in items', async () => {
    const page =
      '<p>Before</p><ul><li>a<ol><li>b</li><li><p>c</p></li></ol></li><li></li><li><h3>d</h3></li></ul><p>after</p>';
    expect(await textOf(page)).toBe('Before\n\n- a\n  1. b\n  2. c\n\n- ### d\n\nafter');
  });

  it('says where links lead', async () => {
    const page = `<p>See <a href="../x?q=1">this</a>, <a href="#top">top</a>, <a href="javascript:alert(1)">js</a>,
      <a href="https://a.example/">https://a.example/</a> and <a href="mailto:a@b.example">mail</a>.</p>
      <a href="/card"><div>Card</div></a><img alt="a cat" src="x"><img src="y">`;
    expect(await textOf(page)).toBe(
      'See this (https://example.org/x?q=1), top, js, https://a.example/ and mail (mailto:a@b.example).\n\nCard (https://example.org/card)\n[image: a cat]',
    );
    expect(await textOf('<base href="https://other.example/a/"><a href="b">c</a>')).toBe(
      'c (https://other.example/a/b)',
    );
  });

  it('heeds one base, as browsers do, and none that makes links costly', async () => {
    const first = '<base href="https://one.example/">';
    expect(await textOf(`${first}<base href="https://two.example/"><a href="b">c</a>`)).toBe(
      'c (https://one.example/b)',
    );
    const long = `<base href="/${'a'.repeat(1_000_000)}/">`;
    expect(await textOf(`${long}${'<a href="b"></a>'.repeat(50_000)}<a href="b">c</a>`)).toBe(
      'c (https://example.org/docs/b)',
    );
  }, 40_000);

  it('keeps preformatted text as it is', async () => {
    expect(await textOf('<p>x</p><pre>a\n  b &lt;c&gt;\n\n    d</pre><p>y</p>')).toBe('x\n\na\n  b <c>\n\n    d\n\ny');
  });

  it('shows tables as rows', async () => {
    const page =
      '<table><thead><tr><th>Name</th><th>Age</th></tr></thead><tbody><tr><td><p>Ana</p></td><td>7</td></tr><tr><td></td><td>8</td></tr></tbody></table>end';
    expect(await textOf(page)).toBe('Name | Age\nAna | 7\n| 8\n\nend');
  });

  it('has nothing that its elements hide', async () => {
    const page = `<script>alert("s1")</script><style>s2</style><noscript>s3</noscript><template>s4</template>
      <p hidden>s5</p><div style="color: red; DISPLAY : none !important">s6<p>s7</p></div><span aria-hidden="true">s8</span>
      <p style="visibility:hidden">s9</p><i style="font-size:0px">s10</i><i style="opacity: 0">s11</i><input value="s12">
      <!-- s13 --><svg><text>s14</text></svg><iframe>s15</iframe><textarea hidden>s16</textarea><p>shown</p>
      <i style="opacity:0.5;font-size:0.9em">too</i>`;
    expect(await textOf(page)).toBe('shown\n\ntoo');
  });

  it('is read although elements are left open', async () => {
    expect(await textOf('<head><title>T</title><p>one<p>two<ul><li>a<li>b')).toBe('Title: T\n\none\n\ntwo\n\n- a\n- b');
  });

  it('stops when there is enough, and says so', async () => {
    const read = await htmlText('<p>word</p>'.repeat(1_000_000), { url, maxChars: 100, signal });
    expect(read.isCut).toBe(true);
    expect(read.text.length).toBeLessThan(100_000);
  });

  it('does not follow a page into the depth', async () => {
    const read = await htmlText(`<p>top</p>${'<div>'.repeat(1_000_000)}deep`, { url, maxChars: 1_000, signal });
    expect(read).toEqual({ text: 'top', isCut: true });
  });

  it('survives whatever it is given', async () => {
    const nasty = [
      '',
      '<',
      '</p></p></td>',
      '<td>x',
      '<a><a><a>',
      '<ul></ul></ul><li>x',
      `<p ${'a=b '.repeat(50_000)}>x`,
      '&#xD800;&#0;&unknown;',
      '<title>never closed',
    ];
    for (const html of nasty) expect(await textOf(html)).toEqual(expect.any(String));
  });
});
