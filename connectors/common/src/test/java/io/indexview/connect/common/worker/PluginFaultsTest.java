package io.indexview.connect.common.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

class PluginFaultsTest {

  @Test
  void saysWhatHelpsWhereAMethodIsMissing() {
    Error fault = new NoSuchMethodError("org/apache/kafka/clients/Admin.close");

    assertThatThrownBy(
            () ->
                PluginFaults.explained(
                    () -> {
                      throw fault;
                    }))
        .isInstanceOf(ConnectException.class)
        .hasCause(fault)
        .hasMessageContainingAll(
            fault.toString(),
            "the worker's Kafka is " + AppInfoParser.getVersion(),
            "the plugin "
                + PluginVersion.get()
                + " runs on Kafka Connect from 3.9.1 on and was tried up to "
                + AppInfoParser.getVersion());
  }

  @Test
  void blamesTheJvmWhereItFails() {
    assertThat(PluginFaults.explain(new OutOfMemoryError("Java heap space")))
        .isEqualTo(
            "the worker's JVM fails, see its log: java.lang.OutOfMemoryError: Java heap space");
  }

  @Test
  void findsTheErrorThatAFutureHid() {
    Error fault = new NoClassDefFoundError("io/netty/Missing");

    assertThatThrownBy(() -> PluginFaults.throwErrorBehind(new IllegalStateException("no", fault)))
        .isSameAs(fault);
    assertThatCode(() -> PluginFaults.throwErrorBehind(new IllegalStateException("no")))
        .doesNotThrowAnyException();
  }

  @Test
  void leavesAnswersAndExceptionsAsTheyAre() {
    assertThat(PluginFaults.<Object>explained(() -> "yes")).isEqualTo("yes");
    assertThatThrownBy(
            () ->
                PluginFaults.explained(
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no");
  }
}
