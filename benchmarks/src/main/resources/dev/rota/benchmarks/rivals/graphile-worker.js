// Runs graphile-worker for the contender of this name. Standard input says what to do: "migrate", "start" with the
// number of tasks to run, or "stop". Each is answered by a line. The first argument is the URL of the database.
const { Logger, run, runMigrations } = require("graphile-worker");

const connectionString = process.argv[1];
// No waits that another contender has not: a task is taken, and recorded as done, as soon as possible.
const preset = {
  worker: {
    connectionString,
    concurrentJobs: 24,
    maxPoolSize: 10,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};
const quiet = { debug() {}, info() {}, warn: console.error, error: console.error };
preset.worker.logger = new Logger(() => (level, message) => quiet[level === "warning" ? "warn" : level]?.(message));

let runner;
let left = 0;

function nothing() {
  left -= 1;
  if (left === 0) {
    console.log("ended");
  }
}

const commands = {
  async migrate() {
    await runMigrations({ preset });
  },
  async start(tasks) {
    left = Number(tasks);
    runner = await run({ preset, taskList: { nothing }, noHandleSignals: true });
  },
  async stop() {
    await runner.stop();
  },
};

const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const [command, argument] = line.split(" ");
  await commands[command](argument);
  console.log("did " + command);
});
lines.on("close", () => process.exit(0));
