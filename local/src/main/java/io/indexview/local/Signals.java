package io.indexview.local;

import java.lang.reflect.Proxy;

/** What the process does when it is asked to end. */
public final class Signals {
  private Signals() {}

  /**
   * Replaces what a signal does; the action runs in a thread of its own.
   *
   * @param signal for instance {@code INT}, which Ctrl-C sends
   */
  public static void handle(String signal, Runnable action) {
    try {
      // By reflection: every JDK has these classes, but javac warns of them past suppression.
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handlerClass},
              (self, method, args) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                  return null;
                }
                return method.invoke(action, args);
              });
      signalClass
          .getMethod("handle", signalClass, handlerClass)
          .invoke(null, signalClass.getConstructor(String.class).newInstance(signal), handler);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot handle the signal " + signal, e);
    }
  }
}
