// The signs of common reactions and Slack's names for them. Slack's API takes and gives names only; a name that is not
// in the table is handed on as it is, such as that of a workspace's own emoji.

const NAMES: readonly (readonly [sign: string, ...names: string[]])[] = [
  ['👍', '+1', 'thumbsup'],
  ['👎', '-1', 'thumbsdown'],
  ['❤️', 'heart'],
  ['🎉', 'tada'],
  ['😀', 'grinning'],
  ['😄', 'smile'],
  ['😂', 'joy'],
  ['🤣', 'rolling_on_the_floor_laughing'],
  ['😊', 'blush'],
  ['🙂', 'slightly_smiling_face'],
  ['😉', 'wink'],
  ['😍', 'heart_eyes'],
  ['😎', 'sunglasses'],
  ['🤔', 'thinking_face', 'thinking'],
  ['😐', 'neutral_face'],
  ['😕', 'confused'],
  ['😢', 'cry'],
  ['😭', 'sob'],
  ['😡', 'rage'],
  ['😱', 'scream'],
  ['😴', 'sleeping'],
  ['🤯', 'exploding_head'],
  ['🥳', 'partying_face'],
  ['🤝', 'handshake'],
  ['👏', 'clap'],
  ['🙌', 'raised_hands'],
  ['🙏', 'pray'],
  ['👋', 'wave'],
  ['👌', 'ok_hand'],
  ['💪', 'muscle'],
  ['👀', 'eyes'],
  ['🔥', 'fire'],
  ['✨', 'sparkles'],
  ['⭐', 'star'],
  ['🌟', 'star2'],
  ['💯', '100'],
  ['💡', 'bulb'],
  ['🚀', 'rocket'],
  ['✅', 'white_check_mark'],
  ['✔️', 'heavy_check_mark'],
  ['❌', 'x'],
  ['❎', 'negative_squared_cross_mark'],
  ['❓', 'question'],
  ['❗', 'exclamation', 'heavy_exclamation_mark'],
  ['⚠️', 'warning'],
  ['⛔', 'no_entry'],
  ['🚫', 'no_entry_sign'],
  ['⏳', 'hourglass_flowing_sand'],
  ['⌛', 'hourglass'],
  ['⏰', 'alarm_clock'],
  ['🕐', 'clock1'],
  ['📌', 'pushpin'],
  ['📎', 'paperclip'],
  ['📝', 'memo', 'pencil'],
  ['📄', 'page_facing_up'],
  ['📅', 'date'],
  ['📈', 'chart_with_upwards_trend'],
  ['📉', 'chart_with_downwards_trend'],
  ['📊', 'bar_chart'],
  ['📦', 'package'],
  ['🔍', 'mag'],
  ['🔒', 'lock'],
  ['🔓', 'unlock'],
  ['🔑', 'key'],
  ['🔔', 'bell'],
  ['🔗', 'link'],
  ['🔧', 'wrench'],
  ['🔨', 'hammer'],
  ['⚙️', 'gear'],
  ['🛠️', 'hammer_and_wrench'],
  ['🐛', 'bug'],
  ['🤖', 'robot_face'],
  ['💬', 'speech_balloon'],
  ['💭', 'thought_balloon'],
  ['💥', 'boom', 'collision'],
  ['💀', 'skull'],
  ['👻', 'ghost'],
  ['🍕', 'pizza'],
  ['☕', 'coffee'],
  ['🍺', 'beer'],
  ['🍰', 'cake'],
  ['🎂', 'birthday'],
  ['🎁', 'gift'],
  ['🏆', 'trophy'],
  ['🥇', 'first_place_medal'],
  ['🎯', 'dart'],
  ['➕', 'heavy_plus_sign'],
  ['➖', 'heavy_minus_sign'],
  ['🔴', 'red_circle'],
  ['🟢', 'large_green_circle'],
  ['🟡', 'large_yellow_circle'],
  ['🔵', 'large_blue_circle'],
  ['🤷', 'shrug'],
  ['🤦', 'face_palm'],
  ['🙈', 'see_no_evil'],
  ['💔', 'broken_heart'],
  ['💙', 'blue_heart'],
  ['💚', 'green_heart'],
  ['💜', 'purple_heart'],
  ['🌈', 'rainbow'],
  ['☀️', 'sunny'],
  ['🌙', 'crescent_moon'],
  ['⚡', 'zap'],
  ['❄️', 'snowflake'],
];

const SIGN_OF = new Map(NAMES.flatMap(([sign, ...names]) => names.map((name) => [name, sign] as const)));
const NAME_OF = new Map(NAMES.map(([sign, name = '']) => [plain(sign), name]));

/** The sign of a name that Slack gives; the tone of skin is left out. */
export function signOf(name: string): string {
  const [base = name] = name.split('::');
  return SIGN_OF.get(base) ?? base;
}

/** Slack's name of a sign, or of a name with or without colons; undefined when there is none. */
export function emojiNameOf(emoji: string): string | undefined {
  const trimmed = emoji.trim();
  const known = NAME_OF.get(plain(trimmed));
  if (known !== undefined) return known;
  const [, name] = /^:?([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):?$/.exec(trimmed) ?? [];
  return name;
}

/** One sign is written with and without the mark that asks for a coloured picture, and with tones of skin. */
function plain(sign: string): string {
  return sign.replace(/[\ufe0e\ufe0f]|\ud83c[\udffb-\udfff]/g, '');
}
