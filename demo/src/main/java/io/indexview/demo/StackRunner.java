package io.indexview.demo;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.indexview.local.DataDirectory;
import io.indexview.local.LocalStack;
import io.indexview.local.Signals;
import io.indexview.local.StackConfig;
import io.indexview.local.StackException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import picocli.CommandLine.ExitCode;

/**
 * Runs a task on a local stack in a process of its own: starts the stack, says where its parts are,
 * runs the task, and stops the stack whatever happens; on Ctrl-C too. Once per process.
 */
final class StackRunner {
  private static final int HALTED = 130;

  /** Exit code of a stack that could not start or has failed. */
  static final int FAILED = 1;

  private static final long HOOK_WAIT_S = 60;
  private static final String LOG_DIRECTORY = "indexview.log.dir";

  private final PrintWriter out;
  private final PrintWriter err;
  private final CompletableFuture<LocalStack> started = new CompletableFuture<>();
  private volatile boolean ending;
  private volatile boolean failed;

  /** What to do with a running stack. */
  @FunctionalInterface
  interface Task {
    /** Returns the exit code of the process. */
    int run(LocalStack stack) throws Exception;
  }

  StackRunner(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Starts a stack, runs the task and stops the stack.
   *
   * @param config its data directory may be empty: then a temporary one is used, and kept only if
   *     something went wrong
   * @param interrupted exit code of the process when the user ends it by Ctrl-C
   * @return the exit code of the process
   */
  int run(StackConfig config, int interrupted, Task task) {
    Path data = config.dataDirectory().orElseGet(StackRunner::temporary);
    boolean temporary = config.dataDirectory().isEmpty();
    logTo(data);
    Thread hook =
        new Thread(
            () -> {
              closeOnExit();
              cleanUp(temporary, data);
            },
            "indexview-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    handleSignals(interrupted);
    int exitCode = runOn(config.withDataDirectory(data), task);
    if (ending || !isRemoved(hook)) {
      return awaitEnd();
    }
    failed |= exitCode != ExitCode.OK && exitCode != ExitCode.USAGE;
    cleanUp(temporary, data);
    return exitCode;
  }

  /**
   * Logs into the data directory if that is possible. If not, the start of the stack fails for the
   * same reason and says so.
   */
  private static void logTo(Path data) {
    Path directory = data.resolve("logs");
    if (isUsable(data, directory)) {
      System.setProperty(LOG_DIRECTORY, directory.toString());
      // Libraries may have logged before the directory was known.
      ((LoggerContext) LogManager.getContext(false)).reconfigure();
    }
  }

  private static boolean isUsable(Path data, Path directory) {
    try {
      DataDirectory.createOwn(data);
      return Files.isWritable(Files.createDirectories(directory));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isRemoved(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shutdownHasBegun) {
      return false;
    }
  }

  private int runOn(StackConfig config, Task task) {
    say("Starting the stack in " + config.dataDirectory().orElseThrow());
    try (LocalStack stack = LocalStack.start(config, this::progress)) {
      started.complete(stack);
      stack.failure().thenAccept(this::endAfterFailure);
      printAddresses(stack.addresses());
      int exitCode = task.run(stack);
      if (!ending) {
        say("Stopping the stack");
      }
      return exitCode;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return report(e);
    } catch (Exception e) {
      return report(e);
    } finally {
      started.completeExceptionally(new IllegalStateException("the stack did not start"));
    }
  }

  /** An exception after Ctrl-C only says that the stack went away under the task. */
  private int report(Exception e) {
    if (!ending) {
      err.println(e instanceof StackException ? e.getMessage() : e.toString());
      for (Throwable suppressed : e.getSuppressed()) {
        err.println("  also: " + suppressed.getMessage());
      }
      err.flush();
    }
    return FAILED;
  }

  private void endAfterFailure(StackException failure) {
    if (!ending) {
      failed = true;
      err.println("The stack has failed: " + failure.getMessage());
      err.flush();
      new Thread(() -> System.exit(FAILED), "exit").start();
    }
  }

  private void closeOnExit() {
    ending = true;
    say(failed ? "Stopping the stack" : "Stopping the stack; Ctrl-C again ends it at once");
    try {
      started.get(HOOK_WAIT_S, TimeUnit.SECONDS).close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | StackException e) {
      err.println(e.getMessage());
      err.flush();
    }
  }

  /** The process ends through {@link System#exit} in another thread, which sets the exit code. */
  private static int awaitEnd() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return FAILED;
  }

  /** Blocks until the process ends; for tasks that leave the stack running. */
  int untilInterrupted() {
    say("Running until Ctrl-C");
    return awaitEnd();
  }

  private void progress(String line) {
    say("  " + line);
  }

  private synchronized void say(String line) {
    out.println(line);
    out.flush();
  }

  private void printAddresses(List<LocalStack.Address> addresses) {
    int width = addresses.stream().mapToInt(a -> a.part().label().length()).max().orElse(0);
    say("");
    addresses.forEach(
        a -> say(("  %-" + width + "s  %s").formatted(a.part().label(), a.address())));
    say("");
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("indexview-");
    } catch (IOException e) {
      throw new StackException("no temporary directory can be made: " + e.getMessage(), e);
    }
  }

  private void cleanUp(boolean temporary, Path data) {
    try {
      if (failed && Files.isDirectory(data)) {
        err.println("Data and logs are in " + data);
      } else if (temporary) {
        MoreFiles.deleteRecursively(data, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException e) {
      err.println("cannot remove " + data + ": " + e.getMessage());
    }
    err.flush();
  }

  /**
   * What Ctrl-C and a termination request do: the first ends the process in order, through its
   * shutdown hooks; the second at once.
   *
   * @param exitCode of a process that was asked to end
   */
  private static void handleSignals(int exitCode) {
    AtomicBoolean asked = new AtomicBoolean();
    Runnable end =
        () -> {
          if (asked.getAndSet(true)) {
            Runtime.getRuntime().halt(HALTED);
          }
          new Thread(() -> System.exit(exitCode), "exit").start();
        };
    Signals.handle("INT", end);
    Signals.handle("TERM", end);
  }
}
