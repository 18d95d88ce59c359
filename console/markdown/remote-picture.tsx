// A picture of another server. Loading it tells that server who reads this and when, so it is loaded when the person asks
// for it, or when the operator has allowed its host. What is loaded by asking stands in a frame with a policy of its own.

import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';

export interface RemotePictureProps {
  readonly address: string;
  readonly description: string;
}

export function RemotePicture({ address, description }: RemotePictureProps) {
  const [isAsked, setAsked] = useState(false);
  const { host } = new URL(address);
  const name = description || 'without a description';
  if (isAllowed(address)) return <img src={address} alt={description} referrerpolicy="no-referrer" loading="lazy" />;
  if (isAsked) return <PictureFrame address={address} description={name} />;
  return (
    <span class="remote-picture">
      <span>{`Picture on ${host}: ${name}`}</span>
      <button type="button" class="quiet" title={`${host} is told your address`} onClick={() => setAsked(true)}>
        {`Load it from ${host}`}
      </button>
      <a href={address} target="_blank" rel="noopener noreferrer nofollow">
        Open it
      </a>
    </span>
  );
}

function PictureFrame({ address, description }: RemotePictureProps) {
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | undefined>();
  const [hasFailed, setFailed] = useState(false);
  const measure = ({ currentTarget }: TargetedEvent<HTMLIFrameElement>) => {
    const frame = currentTarget.contentDocument;
    const picture = frame?.images[0];
    if (!frame || !picture || picture.naturalWidth === 0) return setFailed(true);
    frame.body.style.margin = '0';
    Object.assign(picture.style, { display: 'block', maxWidth: '100%', height: 'auto' });
    setSize({ width: picture.naturalWidth, height: picture.naturalHeight });
  };
  if (hasFailed) {
    return (
      <span class="remote-picture">
        <span>{`The picture on ${new URL(address).host} could not be loaded: ${description}`}</span>
        <a href={address} target="_blank" rel="noopener noreferrer nofollow">
          Open it
        </a>
      </span>
    );
  }
  return (
    <iframe
      class="remote-frame"
      title={description}
      src={`/remote-picture?address=${encodeURIComponent(address)}`}
      style={size && { width: `${size.width}px`, aspectRatio: `${size.width} / ${size.height}` }}
      onLoad={measure}
    />
  );
}

/** The hosts that the operator allows stand in the document, beside the policy that lets them through. */
function isAllowed(address: string): boolean {
  const hosts = document.querySelector<HTMLMetaElement>('meta[name="picture-hosts"]')?.content.split(' ') ?? [];
  const { protocol, host } = new URL(address);
  return protocol === 'https:' && hosts.includes(host);
}
