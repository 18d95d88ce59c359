// The direction in which a text is written, as its first letter says. It is for fields: a browser that finds it out by
// itself there is slow with very long texts. Pure.

export function directionOf(text: string): 'rtl' | 'ltr' | undefined {
  const [first] = /\p{L}/u.exec(text.slice(0, LOOKED_AT)) ?? [];
  return first === undefined ? undefined : RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr';
}

const LOOKED_AT = 1_000;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;
