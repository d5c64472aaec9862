// Preloaded into each child: stops the child when its parent has ended, even after kill -9.
if (process.channel) {
  process.channel.unref();
  process.on('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    // For a process that ignores the signal or hangs.
    setTimeout(() => process.exit(1), Number(process.env.STOP_PATIENCE_MS ?? 20_000)).unref();
  });
}
