package io.indexview.benchmarks.write;

import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * What the Kafka clients of this process have asked and sent so far.
 *
 * @param requests of producers, consumers and administrators
 * @param records that producers have sent
 */
record KafkaRequests(double requests, double records) {
  private static final List<String> CLIENTS =
      List.of(
          "kafka.producer:type=producer-metrics,client-id=*",
          "kafka.consumer:type=consumer-metrics,client-id=*",
          "kafka.admin.client:type=admin-client-metrics,client-id=*");

  static KafkaRequests now() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    double requests = 0;
    double records = 0;
    for (String client : CLIENTS) {
      for (ObjectName bean : beans.queryNames(new ObjectName(client), null)) {
        requests += (double) beans.getAttribute(bean, "request-total");
        if (client.startsWith("kafka.producer")) {
          records += (double) beans.getAttribute(bean, "record-send-total");
        }
      }
    }
    return new KafkaRequests(requests, records);
  }

  KafkaRequests minus(KafkaRequests before) {
    return new KafkaRequests(requests - before.requests, records - before.records);
  }
}
