/// <reference path="./prom-client-parts.d.ts" />
import type { Server } from 'node:http'
// Imports single files of prom-client, because its other files (push gateway, aggregation, runtime metrics) cost
// memory.
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'
import type { BoundedOptions } from '../server/bounded-connections.ts'
import { boundedServer } from '../server/bounded-server.ts'
import { notFound, targetOf } from '../server/target.ts'
import type { Metrics, Histogram as OneHistogram } from '../shared/deps.ts'

/** Registry of the agent's metrics, which also prints them in the text format of Prometheus. */
export interface MetricsRegistry extends Metrics {
  /** Creates a histogram metric. `buckets` are the upper bounds of its buckets. */
  histogram(name: string, help: string, buckets: readonly number[]): OneHistogram
  text(): Promise<string>
}

/** Creates the metrics registry of one agent, with the metrics of the agent's process. */
export function metricsRegistry(): MetricsRegistry {
  const registry = new Registry()
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  processMetrics(registry)
  return {
    counter(name, help, labelNames = []) {
      const made = counters.get(name) ?? new Counter({ name, help, labelNames: [...labelNames], registers: [registry] })
      counters.set(name, made)
      return { inc: (labels = {}) => made.inc(labels) }
    },
    gauge(name, help, labelNames = []) {
      const made = gauges.get(name) ?? new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
      gauges.set(name, made)
      return { set: (value, labels = {}) => made.set(labels, value) }
    },
    histogram(name, help, buckets) {
      const made = histograms.get(name) ?? new Histogram({ name, help, buckets: [...buckets], registers: [registry] })
      histograms.set(name, made)
      return { observe: (value) => made.observe(value) }
    },
    text: () => registry.metrics(),
  }
}

/** HTTP server that serves the agent's metrics at `/metrics`, for any HTTP method, like Istio. */
export function metricsServer(metrics: MetricsRegistry, options?: BoundedOptions): Server {
  return boundedServer((request, response) => {
    if (targetOf(request).path !== '/metrics') return notFound(request, response)
    request.resume()
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    )
  }, options)
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

/** Registers metrics of the agent's process, read at each scrape. prom-client's own collectors would use timers. */
function processMetrics(registry: Registry): void {
  const add = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  const started = Date.now() / 1000 - process.uptime()
  add('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss())
  add('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  add('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', () => started)
}
