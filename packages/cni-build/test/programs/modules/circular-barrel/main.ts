const main = async () => console.log((await import('./app.ts')).run())
main()
