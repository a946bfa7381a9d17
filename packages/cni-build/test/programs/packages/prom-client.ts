import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'

const registry = new Registry()
const registers = [registry]
const counter = new Counter({ name: 'adds_total', help: 'ADDs', labelNames: ['result'], registers })
counter.inc({ result: 'ok' })
counter.labels('failed').inc(2)
new Gauge({ name: 'pods', help: 'pods', registers, collect() { this.set(3) } })
const histogram = new Histogram({ name: 'seconds', help: 's', buckets: [0.1, 1], registers })
for (const n of [0.05, 0.5, 5]) histogram.observe(n)
new Summary({ name: 'sizes', help: 'sizes', percentiles: [0.5], registers }).observe(1)
try { counter.inc({ other: 'x' } as never) } catch (error) { console.log((error as Error).message) }
const main = async () => console.log(await registry.metrics(), JSON.stringify((await registry.getMetricsAsJSON()).map((m) => m.name)), counter.constructor.name)
main()
