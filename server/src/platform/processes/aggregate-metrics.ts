import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

type Metrics = MetricObjectWithValues<MetricValue<string>>[];
/** Message of an API process: its own metrics for a collection, or a request for the metrics of all processes. */
type WorkerMessage = { metricsOfOne?: { id: number; metrics: Metrics }; metricsWanted?: number };
/** Message to an API process: a request for its own metrics, or the metrics of all processes. */
type ParentMessage = { sendMetrics?: number; metricsOfAll?: { requestId: number; text: string } };

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
        .then((text) => sendTo(requester, { metricsOfAll: { requestId, text } }));
    };
    const timer = setTimeout(finish, COLLECT_TIMEOUT_MS);
    collections.set(id, { metrics: processMetrics, finish });
    for (const worker of workers) sendTo(worker, { sendMetrics: id });
  };
  for (const worker of workers) {
    worker.on('message', ({ metricsOfOne, metricsWanted }: WorkerMessage) => {
      if (metricsWanted !== undefined) collect(worker, metricsWanted);
      const collection = metricsOfOne && collections.get(metricsOfOne.id);
      if (!collection) return;
      collection.metrics.push(metricsOfOne.metrics);
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
  process.on('message', ({ sendMetrics: id, metricsOfAll: aggregate }: ParentMessage) => {
    if (id !== undefined) {
      void registry.getMetricsAsJSON().then((metrics) => send({ metricsOfOne: { id, metrics } }));
    }
    if (!aggregate) return;
    pendingRequests.get(aggregate.requestId)?.(aggregate.text);
    pendingRequests.delete(aggregate.requestId);
  });
  return () =>
    new Promise((resolve) => {
      lastRequestId += 1;
      pendingRequests.set(lastRequestId, resolve);
      send({ metricsWanted: lastRequestId });
    });
}
