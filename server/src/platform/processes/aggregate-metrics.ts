import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

type Metrics = MetricObjectWithValues<MetricValue<string>>[];
/** Message of an API process: its own metrics for a collection, or a request for the metrics of all processes. */
type WorkerMessage =
  | { type: 'process_metrics'; collectionId: number; metrics: Metrics }
  | { type: 'aggregate_request'; requestId: number };
/** Message to an API process: a request for its own metrics, or the metrics of all processes. */
type ParentMessage =
  | { type: 'process_metrics_request'; collectionId: number }
  | { type: 'aggregate'; requestId: number; text: string };

/** Processes that take longer are omitted. */
const COLLECT_TIMEOUT_MS = 2_000;

/** Runs in the first process: collects the metrics of all API processes for the one that serves `/metrics`. */
export function serveAggregateMetrics(workers: readonly Worker[]): void {
  let lastCollectionId = 0;
  const collections = new Map<number, { metrics: Metrics[]; finish: () => void }>();
  const collect = (requester: Worker, requestId: number): void => {
    const id = (lastCollectionId += 1);
    const processMetrics: Metrics[] = [];
    const finish = (): void => {
      clearTimeout(timer);
      if (!collections.delete(id)) return;
      void AggregatorRegistry.aggregate(processMetrics)
        .metrics()
        .then((text) => sendTo(requester, { type: 'aggregate', requestId, text }));
    };
    const timer = setTimeout(finish, COLLECT_TIMEOUT_MS);
    collections.set(id, { metrics: processMetrics, finish });
    for (const worker of workers) sendTo(worker, { type: 'process_metrics_request', collectionId: id });
  };
  for (const worker of workers) {
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'aggregate_request') return collect(worker, message.requestId);
      // Processes send other messages too.
      if (message.type !== 'process_metrics') return;
      const collection = collections.get(message.collectionId);
      if (!collection) return;
      collection.metrics.push(message.metrics);
      if (collection.metrics.length === workers.length) collection.finish();
    });
  }
}

const sendTo = (worker: Worker, message: ParentMessage): void => {
  if (worker.isConnected()) worker.send(message);
};

/** Reader of the text of `/metrics`: of this process, or of all API processes together. */
export function aggregateMetrics(registry: Registry): () => Promise<string> {
  if (!cluster.worker) return () => registry.metrics();
  let lastRequestId = 0;
  const pendingRequests = new Map<number, (text: string) => void>();
  const send = (message: WorkerMessage): void => void process.send?.(message);
  process.on('message', (message: ParentMessage) => {
    if (message.type === 'process_metrics_request') {
      const { collectionId } = message;
      void registry.getMetricsAsJSON().then((metrics) => send({ type: 'process_metrics', collectionId, metrics }));
    }
    if (message.type !== 'aggregate') return;
    pendingRequests.get(message.requestId)?.(message.text);
    pendingRequests.delete(message.requestId);
  });
  return () =>
    new Promise((resolve) => {
      lastRequestId += 1;
      pendingRequests.set(lastRequestId, resolve);
      send({ type: 'aggregate_request', requestId: lastRequestId });
    });
}
