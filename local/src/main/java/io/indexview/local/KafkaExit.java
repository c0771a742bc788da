package io.indexview.local;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.apache.kafka.common.utils.Exit;

/**
 * Keeps Kafka and Connect from ending the process: an exit becomes a reported failure of every
 * stack in this JVM, and an exception in the thread that asked for it. Their own shutdown hooks are
 * not installed, as the stack stops its parts itself, in order.
 */
final class KafkaExit {
  private static final Set<Failures> LISTENERS = new CopyOnWriteArraySet<>();

  private KafkaExit() {}

  static synchronized void intercept(Failures failures) {
    LISTENERS.add(failures);
    Exit.setExitProcedure((status, message) -> refuse("asked to exit", status, message));
    Exit.setHaltProcedure((status, message) -> refuse("asked to halt", status, message));
    Exit.setShutdownHookAdder((name, hook) -> {});
  }

  static synchronized void release(Failures failures) {
    LISTENERS.remove(failures);
    if (LISTENERS.isEmpty()) {
      Exit.resetExitProcedure();
      Exit.resetHaltProcedure();
      Exit.resetShutdownHookAdder();
    }
  }

  private static void refuse(String what, int status, String message) {
    String reason =
        "has failed: Kafka %s with status %d%s; see the log"
            .formatted(what, status, message == null ? "" : " (" + message + ")");
    ExitRefusedException refused = new ExitRefusedException(reason);
    LISTENERS.forEach(failures -> failures.report(PartName.BROKER, reason, refused));
    throw refused;
  }

  /** Ends the thread that wanted to end the process. */
  static final class ExitRefusedException extends RuntimeException {
    ExitRefusedException(String message) {
      super(message);
    }
  }
}
