import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

type Metrics = MetricObjectWithValues<MetricValue<string>>[];
/** From an API process: its metrics are part of the answer to a question; or it asks for those of all. */
type FromProcess = { metricsOfOne?: { id: number; metrics: Metrics }; metricsWanted?: number };
/** To an API process: it is to send its own; or the answer to its question. */
type ToProcess = { sendMetrics?: number; metricsOfAll?: { requestId: number; text: string } };

/** A process that is busy for longer is left out. */
const WITHIN_MS = 2_000;

/** In the first process: collects the metrics of all API processes for the process that answers `/metrics`. */
export function serveAggregateMetrics(workers: readonly Worker[]): void {
  let questions = 0;
  const collecting = new Map<number, { found: Metrics[]; finish: () => void }>();
  const collect = (asker: Worker, requestId: number): void => {
    const id = (questions += 1);
    const found: Metrics[] = [];
    const finish = (): void => {
      clearTimeout(timer);
      if (!collecting.delete(id)) return;
      void AggregatorRegistry.aggregate(found)
        .metrics()
        .then((text) => sendTo(asker, { metricsOfAll: { requestId, text } }));
    };
    const timer = setTimeout(finish, WITHIN_MS);
    collecting.set(id, { found, finish });
    for (const worker of workers) sendTo(worker, { sendMetrics: id });
  };
  for (const worker of workers) {
    worker.on('message', ({ metricsOfOne, metricsWanted }: FromProcess) => {
      if (metricsWanted !== undefined) collect(worker, metricsWanted);
      const question = metricsOfOne && collecting.get(metricsOfOne.id);
      if (!question) return;
      question.found.push(metricsOfOne.metrics);
      if (question.found.length === workers.length) question.finish();
    });
  }
}

const sendTo = (worker: Worker, message: ToProcess): void => {
  if (worker.isConnected()) worker.send(message);
};

/** What `/metrics` says: of this process, or where it is one of several of all of them together. */
export function aggregateMetrics(registry: Registry): () => Promise<string> {
  if (!cluster.worker) return () => registry.metrics();
  let questions = 0;
  const waiting = new Map<number, (text: string) => void>();
  const send = (message: FromProcess): void => void process.send?.(message);
  process.on('message', ({ sendMetrics: id, metricsOfAll: answer }: ToProcess) => {
    if (id !== undefined) {
      void registry.getMetricsAsJSON().then((metrics) => send({ metricsOfOne: { id, metrics } }));
    }
    if (!answer) return;
    waiting.get(answer.requestId)?.(answer.text);
    waiting.delete(answer.requestId);
  });
  return () =>
    new Promise((resolve) => {
      questions += 1;
      waiting.set(questions, resolve);
      send({ metricsWanted: questions });
    });
}
