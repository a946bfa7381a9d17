// npm run plot [-- FILE]: writes the tables and pictures of docs/performance.md and docs/benchmarks.md.
import '../bench/plot/main.ts'
