import { useEffect, useState } from 'react';

const SIZE_MAX_PX = 350;
const WIDTH_SHARE = 0.85;
const RESIZE_REST_MS = 500;

export type WheelSize = { size: number; scale: number };

const measure = (): WheelSize => ({
  size: Math.min(SIZE_MAX_PX, Math.floor(innerWidth * WIDTH_SHARE)),
  scale: devicePixelRatio || 1,
});

/** How large the wheel is, in CSS pixels, and how many pixels of the device each is; anew once the window has kept its size for 500 ms. */
export function useWheelSize(): WheelSize {
  const [measured, setMeasured] = useState(measure);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const onResize = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => setMeasured(measure()), RESIZE_REST_MS);
    };
    addEventListener('resize', onResize);
    return () => {
      clearTimeout(timer);
      removeEventListener('resize', onResize);
    };
  }, []);
  return measured;
}
