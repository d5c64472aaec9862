// Loaded before a child's own program: when the process that started it is gone, even by kill -9, the child stops too.
if (process.channel) {
  process.channel.unref();
  process.on('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    // A process that ignores the signal or hangs is ended.
    setTimeout(() => process.exit(1), Number(process.env.STOP_PATIENCE_MS ?? 20_000)).unref();
  });
}
