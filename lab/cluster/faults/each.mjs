const AT_ONCE = 24;

/** Works through a list, `atOnce` of it at a time. */
export async function each(list, work, atOnce = AT_ONCE) {
  let next = 0;
  const run = async () => {
    while (next < list.length) {
      next += 1;
      await work(list[next - 1]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}
