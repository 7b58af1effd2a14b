"""Stack for the people on watch: one dashboard, and alarms that reach them."""

from aws_cdk import CfnOutput, Environment, Stack
from aws_cdk import aws_cloudwatch_actions as actions
from constructs import Construct

from infra.constructs.alarm_topic import AlarmTopic
from infra.constructs.alarms import Alarms
from infra.constructs.dashboard import make_dashboard
from infra.constructs.metrics import domain_metrics
from infra.deployment import Deployment
from infra.stacks.service import ServiceStack
from infra.stacks.stateful import StatefulStack
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.manifest.tables import RECEIPTS


class ObservabilityStack(Stack):
    """Alarms for the API, every route, every function, every queue, the stream, the index."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        *,
        stateful: StatefulStack,
        service: ServiceStack,
    ) -> None:
        super().__init__(
            scope,
            id,
            env=Environment(region=deployment.region),
            description=f"Memory Layer, {deployment.profile}: dashboard and alarms",
        )
        topic = AlarmTopic(self, "AlarmTopic", deployment)
        alarms = Alarms(self, "Alarms", actions.SnsAction(topic.topic))
        functions = {**stateful.functions, **service.functions}
        streamed = [f for f in deployment.functions if f.stream is not None]
        projectors = {f.name: functions[f.name] for f in streamed if f.stream is not RECEIPTS}
        counters = {f.name: functions[f.name] for f in streamed if f.stream is RECEIPTS}
        queues = dict(service.queues)
        if topic.undelivered is not None:
            queues["alarms that the mailbox did not take"] = topic.undelivered
        domain = {} if stateful.search is None else domain_metrics(stateful.search.name)
        alarms.of_api(service.api.api_id)
        for operation in service.api.operations:
            alarms.of_route(service.api.api_id, operation)
        for name, function in functions.items():
            alarms.of_function(name, function)
        for purpose, queue in queues.items():
            alarms.of_queue(purpose, queue)
        for purpose, queue in service.waiting.items():
            alarms.of_waiting(purpose, queue)
        for name, function in projectors.items():
            alarms.of_projection(name, function)
        for name, function in counters.items():
            alarms.of_counting(name, function)
        sweepers = sorted({schedule.function for schedule in SCHEDULES})
        for name in sweepers:
            alarms.of_sweeps(name)
        if domain:
            alarms.of_domain(domain, deployment.sizes.search_volume_gb)
        dashboard = make_dashboard(
            self,
            api_id=service.api.api_id,
            operations=service.api.operations,
            functions=functions,
            projectors=projectors,
            sweepers=sweepers,
            queues=queues,
            waiting=service.waiting,
            domain=domain,
        )
        CfnOutput(self, "DashboardName", value=dashboard.dashboard_name)
        CfnOutput(self, "AlarmTopicArn", value=topic.topic.topic_arn)
